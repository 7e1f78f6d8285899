/** The one spelling of a gateway's address: no slash at the end, no credentials, query or fragment. */
export function gatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new RangeError(
      `"${text}" is not the address of a gateway. Write http://host:port or https://host.`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
