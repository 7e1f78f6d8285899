/**
 * What a stranger can reach of a gateway that runs, as a browser finds it: what its description calls public, the files of its
 * pages, and the addresses that texts about it name.
 */

/** Where the texts of the project say that a gateway listens. */
const usualOrigin = 'http://127.0.0.1:7300';
/** A page names a few files; each is asked for once. */
const maxAddresses = 500;

/**
 * Asks for every public address of the gateway and returns those that do not answer as they should, each with its status. `texts` are
 * the banner and guides; `more` are further paths.
 */
export async function brokenAddresses(url, { texts = [], more = [] } = {}) {
  const described = await describedAddresses(url);
  if (typeof described === 'string') return [described];
  const wanted = new Map([
    ...['/', '/docs', '/openapi.json', ...more, ...texts.flatMap((text) => linksIn(text, url))].map(
      (path) => [path, [200]],
    ),
    ...described,
  ]);
  const broken = [];
  // Pages add their files while the list is read.
  for (const [path, statuses] of wanted) {
    const answer = await fetch(new URL(path, url), { redirect: 'manual', headers: { accept: 'text/html' } });
    const body = await answer.text();
    if (!statuses.includes(answer.status)) broken.push(`${path} answered ${answer.status}`);
    if (!answer.headers.get('content-type')?.startsWith('text/html')) continue;
    for (const file of filesOf(body)) if (!wanted.has(file)) wanted.set(file, [200]);
    if (wanted.size > maxAddresses) throw new Error(`More than ${maxAddresses} addresses.`);
  }
  return broken;
}

/** Returns each public address that needs no parameter, with the statuses that it may answer. */
async function describedAddresses(url) {
  const answer = await fetch(new URL('/openapi.json', url));
  if (!answer.ok) return `/openapi.json answered ${answer.status}`;
  const { paths } = await answer.json();
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get?.['x-access'] !== 'public' || get.parameters.some(({ required }) => required)) return [];
    const statuses = Object.keys(get.responses).map(Number).filter(Number.isInteger);
    // Switching protocols needs a client that asks for it.
    return [[path, statuses.includes(101) ? [426] : statuses]];
  });
}

/** Returns the paths of addresses of the gateway in a text. */
function linksIn(text, url) {
  const links = text.match(/http:\/\/[\w.:[\]-]+[^\s`'")>\]]*/g) ?? [];
  return links.flatMap((link) => {
    const path = [usualOrigin, new URL(url).origin].find(
      (origin) => link === origin || link.startsWith(`${origin}/`),
    );
    return path === undefined ? [] : [link.slice(path.length) || '/'];
  });
}

/** Returns the paths of the gateway's own files that a page names. */
function filesOf(page) {
  return [...page.matchAll(/(?:src|href)="(\/[^"#]*)"/g)].map(([, path]) => path);
}
