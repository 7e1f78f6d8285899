/**
 * Data responses of the gateway may not run, be framed, be sniffed or be kept by a cache. Our own pages (docs, console)
 * replace the policy and the caching by their own. They are constants, because computing them for each request with
 * helmet costs as much as the request itself (docs/adr).
 */
export const apiHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** For the description of the interface: own files only, nothing inline, nothing framed. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** For the web console, which shows pictures that it has fetched, and stored files in frames. */
export const consoleHeaders = {
  ...pageHeaders,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
    "font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

/**
 * For stored files, whatever a browser takes them for: they run nothing, load nothing, and have an origin of their own.
 * Our own pages may frame them, so that a panel can show a picture.
 */
export const storedFilePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'";

/** Only when clients come by https: a browser that remembers it refuses plain http for two years. */
export const httpsHeaders = { 'strict-transport-security': 'max-age=63072000' } as const;
