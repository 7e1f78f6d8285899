/** An address that may not be called. */
export const addressTexts = {
  address_denied: 'This address may not be called: {cause}',
  address_unreadable: 'It is not an address such as https://host/path.',
  address_scheme: 'It must begin with http:// or https://.',
  address_credentials: 'It must not hold a user name or a password.',
  private_addresses_setting: 'The setting dispatch.webhooks_to_private_addresses allows such addresses.',
  host_unreadable: '"{given}" is neither an IP address nor a host name.',
  host_metadata_name: '{host} is the name of a cloud metadata service.',
  host_metadata: '{host} is a cloud metadata address.',
  host_notation: '{host} is an unusual way to write {plain}; write that.',
  host_spelling: '{host} must be written as {plain}.',
  host_private: '{host} is in a private network.',
  host_unspecified: '{host} means "every address"; write the one address that is meant.',
  host_link_local: '{host} is a link-local address.',
  host_multicast: '{host} is a multicast address.',
  host_broadcast: '{host} is a broadcast address.',
  host_reserved: '{host} is a reserved address.',
} as const;
