const secretNames = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-csrf-token',
  '\\w{0,32}password\\w{0,32}',
  '\\w{0,32}secret\\w{0,32}',
  '\\w{0,32}token',
].join('|');

/** `"name":"…"` or `"name":[…]` at any depth of the line. */
const secretField = new RegExp(`("(?:${secretNames})":)(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]{0,2048}\\])`, 'gi');

/** The same one level deeper: JSON inside a string, where every quote is `\"`. */
const quotedSecretField = new RegExp(
  `(\\\\"(?:${secretNames})\\\\"\\s*:\\s*)\\\\"(?:[^"\\\\]|\\\\\\\\(?:\\\\\\\\|\\\\"|[^"\\\\])|\\\\[^"\\\\])*\\\\"`,
  'gi',
);

/** Credentials inside a sentence. Lengths are bounded so that every line takes linear time. */
const secretValues = [
  [/\b((?:bearer|basic)\s{1,8})[\w.~+/=-]{8,8192}/gi, '$1***'],
  [/\bsy_pat_[\w-]+/g, 'sy_pat_***'],
  [/\beyJ[\w-]{8,512}\.[\w-]{8,4096}(?:\.[\w-]*)?/g, '***'],
  [/([?&](?:token|sig|access_token|api_key)=)[^&"\s\\]+/gi, '$1***'],
  [/(:\/\/[^\s:/@"]{0,256}:)[^\s@/"]{1,1024}(@)/g, '$1***$2'],
] as const;

/**
 * The last step before a log line is written. It works on the text, so it covers every depth and every field, including
 * unexpected ones.
 */
export function redactSecrets(line: string): string {
  let text = line.replace(secretField, '$1"***"').replace(quotedSecretField, '$1\\"***\\"');
  for (const [pattern, replacement] of secretValues) text = text.replace(pattern, replacement);
  return text;
}
