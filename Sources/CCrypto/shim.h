#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// What Swift cannot import: macros, variadic calls, and names that stand in the way of Swift's own.

static inline int ccrypto_hmac(
  const EVP_MD *digest, const void *key, int key_length, const unsigned char *message, size_t length,
  unsigned char *code) {
  return HMAC(digest, key, key_length, message, length, code, NULL) != NULL;
}

static inline EVP_PKEY *ccrypto_generate_rsa(size_t bits) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }
static inline EVP_PKEY *ccrypto_generate_p256(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }

static inline int ccrypto_bytes(const BIGNUM *number) { return BN_num_bytes(number); }

/// A public key of `type` with what `fill` gave; null when OpenSSL finds it no key.
static inline EVP_PKEY *ccrypto_public_key(const char *type, OSSL_PARAM_BLD *builder) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (!params || !context || EVP_PKEY_fromdata_init(context) != 1
      || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(params);
  return key;
}

static inline EVP_PKEY *ccrypto_rsa_public_key(
  const unsigned char *modulus, int modulus_length, const unsigned char *exponent, int exponent_length) {
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, modulus_length, NULL);
  BIGNUM *e = BN_bin2bn(exponent, exponent_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e)) {
    key = ccrypto_public_key("RSA", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  return key;
}

/// `point` is 0x04, x, y. OpenSSL refuses points that are not on the curve.
static inline EVP_PKEY *ccrypto_p256_public_key(const unsigned char *point, size_t length) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0)
      && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, length)) {
    key = ccrypto_public_key("EC", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  return key;
}

static inline int ccrypto_use_pss(EVP_PKEY_CTX *context) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
         && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

typedef struct ccrypto_passphrase {
  const void *bytes;
  int count;
} ccrypto_passphrase;

/// Gives the passphrase, or fails: OpenSSL's own callback would ask on the terminal.
static inline int ccrypto_give_passphrase(char *buffer, int size, int writing, void *context) {
  const ccrypto_passphrase *passphrase = (const ccrypto_passphrase *)context;
  (void)writing;
  if (!passphrase || !passphrase->bytes || passphrase->count > size) return -1;
  __builtin_memcpy(buffer, passphrase->bytes, (size_t)passphrase->count);
  return passphrase->count;
}

static inline EVP_PKEY *ccrypto_read_private_key(BIO *bio, ccrypto_passphrase passphrase) {
  return PEM_read_bio_PrivateKey(bio, NULL, ccrypto_give_passphrase, &passphrase);
}
static inline EVP_PKEY *ccrypto_read_public_key(BIO *bio) {
  ccrypto_passphrase none = {NULL, 0};
  return PEM_read_bio_PUBKEY(bio, NULL, ccrypto_give_passphrase, &none);
}
static inline X509 *ccrypto_read_certificate(BIO *bio) {
  ccrypto_passphrase none = {NULL, 0};
  return PEM_read_bio_X509(bio, NULL, ccrypto_give_passphrase, &none);
}
/// PKCS #8, under AES-256 when there is a passphrase.
static inline int ccrypto_write_private_key(BIO *bio, EVP_PKEY *key, ccrypto_passphrase passphrase) {
  const EVP_CIPHER *cipher = passphrase.bytes ? EVP_aes_256_cbc() : NULL;
  return PEM_write_bio_PKCS8PrivateKey(bio, key, cipher, NULL, 0, ccrypto_give_passphrase, &passphrase);
}

static inline long ccrypto_bio_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

/// One line, UTF-8 kept, control characters escaped.
static inline int ccrypto_print_name(BIO *bio, const X509_NAME *name) {
  return X509_NAME_print_ex(bio, name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
}

/// Keeps the memory of this process out of core files and out of reach of other programs of the same user.
static inline void ccrypto_keep_memory_private(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
