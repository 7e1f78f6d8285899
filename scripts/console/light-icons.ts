type Shape = readonly [element: string, attributes: Readonly<Record<string, string>>];

const iconFile = /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/][\w-]+\.m?js$/;
const shapesInFile = /\bnode: (\[[\s\S]*?\n {2}\])/;

/**
 * Draws each icon with one path. The library has an element for each stroke, up to fourteen in an icon, and a page of pictures has as
 * many icons as it has pictures. An icon of one shape, or one that this cannot read, stays as the library has it.
 */
export function lightIcons() {
  return {
    name: 'light-icons',
    apply: 'build',
    transform(code: string, id: string) {
      if (!iconFile.test(id)) return null;
      const path = pathOfIcon(code);
      if (path === null) return null;
      const node = `node: [["path", { d: ${JSON.stringify(path)}, key: "all" }]]`;
      return { code: code.replace(shapesInFile, () => node), map: null };
    },
  } as const;
}

/** Returns all strokes of an icon's module as one path; null when one of its shapes has a look of its own. */
export function pathOfIcon(code: string): string | null {
  const [, list] = shapesInFile.exec(code) ?? [];
  if (list === undefined) return null;
  const shapes = JSON.parse(list.replaceAll(/(\w+): "/g, '"$1": "')) as Shape[];
  const paths = shapes.map(pathOf);
  return paths.includes(null) ? null : paths.join('');
}

function pathOf([element, attributes]: Shape): string | null {
  const { d = '', ...numbers } = attributes;
  const number = (name: string) => Number(numbers[name] ?? 0);
  if ('fill' in attributes) return null;
  if (element === 'path') return withOwnStart(d);
  if (element === 'line') return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`;
  if (element === 'circle') return circle(number('cx'), number('cy'), number('r'));
  if (element !== 'rect') return null;
  const [x, y, width, height] = [number('x'), number('y'), number('width'), number('height')];
  const [rx, ry] = [Number(numbers.rx ?? numbers.ry ?? 0), Number(numbers.ry ?? numbers.rx ?? 0)];
  const corner = (right: number, down: number) => `a${rx} ${ry} 0 0 1 ${right} ${down}`;
  const sides = [
    `M${x + rx} ${y}h${width - 2 * rx}${corner(rx, ry)}`,
    `v${height - 2 * ry}${corner(-rx, ry)}`,
    `h${2 * rx - width}${corner(-rx, -ry)}`,
    `v${2 * ry - height}${corner(rx, -ry)}z`,
  ];
  return sides.join('');
}

function circle(x: number, y: number, radius: number): string {
  const half = (right: number) => `a${radius} ${radius} 0 0 1 ${right} 0`;
  return `M${x - radius} ${y}${half(2 * radius)}${half(-2 * radius)}z`;
}

const number = String.raw`(-?(?:\d+\.?\d*|\.\d+))`;
const relativeStart = new RegExp(String.raw`^m\s*${number}[\s,]*${number}[\s,]*(?=(\S?))`);

/** The first point of a path is counted from the corner, and behind another path it would be counted from that one's end. */
function withOwnStart(path: string): string {
  return path.replace(relativeStart, (_, x: string, y: string, next: string) => {
    // Points that follow the first one without a command are lines from it.
    return `M${x} ${y}${/[-.\d]/.test(next) ? 'l' : ''}`;
  });
}
