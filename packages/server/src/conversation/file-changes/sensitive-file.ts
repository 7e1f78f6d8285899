/** Names of files that hold keys and passwords. */
const names: readonly RegExp[] = [
  /^\.env(\..+)?$/,
  /\.env$/,
  /^\.(netrc|pgpass|npmrc|pypirc|htpasswd|git-credentials|dockercfg)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(\.pub)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ovpn|ppk)$/,
  /(^|[._-])(secrets?|credentials?|passwords?|passwd|tokens?|api[._-]?keys?)([._-]|$)/,
];
const folders: ReadonlySet<string> = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.azure', 'secrets']);

/** Returns whether the content is secret, by the name of the file. Such content is never shown. */
export function isSensitive(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.pop() ?? '';
  return names.some((pattern) => pattern.test(name)) || parts.some((part) => folders.has(part));
}
