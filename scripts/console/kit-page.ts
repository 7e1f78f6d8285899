import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connect } from 'vite';

const picturePath = /^\/(?:uploads|api\/files)\/kit-([a-z]+)/;

/**
 * Serves `/kit`, the page that shows every part of the console in its states, together with the pictures on it. It is there
 * while Vite serves the console; the page itself stands outside `src`, and no build of the console reaches it.
 */
export function kitPage() {
  const serve = ({ middlewares }: { middlewares: Connect.Server }) => {
    middlewares.use(answer);
  };
  return { name: 'kit-page', apply: 'serve', configureServer: serve, configurePreviewServer: serve } as const;
}

function answer(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const url = request.url ?? '';
  const [, picture] = picturePath.exec(url) ?? [];
  if (picture !== undefined) {
    response.setHeader('content-type', 'image/svg+xml');
    response.end(drawn(picture));
    return;
  }
  if (/^\/kit(?:[?#]|$)/.test(url)) request.url = '/kit-page/index.html';
  next();
}

/** A picture that differs from the others by its colour. */
function drawn(name: string): string {
  const hue = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 480" width="640" height="480" preserveAspectRatio="none">
<rect width="640" height="480" fill="hsl(${hue} 45% 60%)"/><circle cx="320" cy="240" r="150" fill="hsl(${hue} 45% 35%)"/></svg>`;
}
