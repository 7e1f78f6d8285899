/** A request that is refused before anything else is looked at. */
export const requestTexts = {
  body_larger: 'The body is larger than the {bytes} bytes that this address accepts.',
  numbers_of_all: 'Only administrators may see the numbers of all users. Leave scope out.',
  cross_site: 'Cross-site auth request denied.',
  origin_reached: 'The page is of another origin than this gateway, which was reached as {address}.',
  origin_unnamed:
    'The page is of another origin than this gateway, which was reached with a Host header that names no address.',
  proxy_trusted:
    'The proxy in front is trusted: it has to forward the host and the scheme that the page has.',
  proxy_unlisted: 'Behind a reverse proxy, list its address in auth.trusted_proxies.',
  public_url_of_page:
    'Or set server.public_url to the address of the page; other sites belong into server.cors.origins.',
  name_not_configured:
    'A page reached this machine under a name that is not configured; if the name is yours, set server.public_url.',
  text_unstorable: 'Value error, text must not contain U+0000 or half of a surrogate pair; remove it',
} as const;
