/** Settings. */
export const settingsTexts = {
  server_id_own: '"{id}" is the gateway\'s own worker. Use another id.',
  server_id_twice: '"{id}" is already the id of {place}. Use another id.',
  instance_two_paths:
    '{id} is already {place}, below {path}. An address is one instance: give this worker another port or host name.',
  instance_twice: '{id} is already {place}. An address may stand here once.',
  secret_not_stored: 'There is no stored value for "{mask}" to keep. Send the value.',
} as const;
