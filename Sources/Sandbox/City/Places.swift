/// The towns that residents, branches and devices are in.
package enum Places {
  /// A town; latitude and longitude in degrees.
  package struct Place: Sendable, Equatable {
    package let town: String
    /// ISO 3166-1 alpha-2.
    package let country: String
    package let dialing: String
    package let latitude: Double
    package let longitude: Double
  }

  package static let towns: [Place] = [
    Place(town: "Helsinki", country: "FI", dialing: "+358", latitude: 60.17, longitude: 24.94),
    Place(town: "Zürich", country: "CH", dialing: "+41", latitude: 47.37, longitude: 8.54),
    Place(town: "Kraków", country: "PL", dialing: "+48", latitude: 50.06, longitude: 19.94),
    Place(town: "Łódź", country: "PL", dialing: "+48", latitude: 51.76, longitude: 19.46),
    Place(town: "São Paulo", country: "BR", dialing: "+55", latitude: -23.55, longitude: -46.63),
    Place(town: "Αθήνα", country: "GR", dialing: "+30", latitude: 37.98, longitude: 23.73),
    Place(town: "東京", country: "JP", dialing: "+81", latitude: 35.68, longitude: 139.69),
    Place(town: "서울", country: "KR", dialing: "+82", latitude: 37.57, longitude: 126.98),
    Place(town: "الكويت", country: "KW", dialing: "+965", latitude: 29.38, longitude: 47.99),
    Place(town: "Київ", country: "UA", dialing: "+380", latitude: 50.45, longitude: 30.52),
    Place(town: "Nairobi", country: "KE", dialing: "+254", latitude: -1.29, longitude: 36.82),
    Place(town: "Kirkwall", country: "GB", dialing: "+44", latitude: 58.98, longitude: -2.96),
    Place(town: "Llanfairpwllgwyngyll", country: "GB", dialing: "+44", latitude: 53.22, longitude: -4.2),
    Place(town: "Wien", country: "AT", dialing: "+43", latitude: 48.21, longitude: 16.37),
    Place(town: "Reykjavík", country: "IS", dialing: "+354", latitude: 64.15, longitude: -21.94),
    Place(town: "Montréal", country: "CA", dialing: "+1", latitude: 45.5, longitude: -73.57),
  ]
}
