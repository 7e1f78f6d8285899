/** The state that the icon of the window shows; null is the plain icon. */
export type FaviconMark = 'running' | 'failed' | null;

const plain = '/icon.svg';
const side = 32;
const colours = { running: '#ffffff', failed: '#ff5a4f' };
let shown: FaviconMark = null;

/** Draws a dot into the corner of the icon; a failure is a larger, red one. */
export async function markFavicon(mark: FaviconMark): Promise<void> {
  if (mark === shown) return;
  shown = mark;
  const address = mark === null ? plain : await draw(mark);
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  // Another mark may have come while this one was drawn.
  if (link && shown === mark) link.href = address;
}

async function draw(mark: 'running' | 'failed'): Promise<string> {
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  const icon = new Image(side, side);
  icon.src = plain;
  // While the gateway is away the picture cannot be fetched, and the plain icon stays.
  const isLoaded = await icon.decode().then(
    () => true,
    () => false,
  );
  if (!context || !isLoaded) return plain;
  context.drawImage(icon, 0, 0, side, side);
  const radius = mark === 'failed' ? 9 : 7;
  context.beginPath();
  context.arc(side - radius, side - radius, radius, 0, 2 * Math.PI);
  context.fillStyle = colours[mark];
  context.fill();
  context.strokeStyle = '#1a1a1a';
  context.stroke();
  return canvas.toDataURL();
}
