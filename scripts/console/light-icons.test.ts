import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { lightIcons, pathOfIcon } from './light-icons.ts';

const folder = join(import.meta.dirname, '../../node_modules', 'lucide-react', 'dist/esm/icons');
const moduleOf = (name: string) => readFileSync(join(folder, `${name}.mjs`), 'utf8');
const names = readdirSync(folder)
  .flatMap((file) => (file.endsWith('.mjs') ? [file.slice(0, -4)] : []))
  .filter((name) => pathOfIcon(moduleOf(name)) !== null);

interface Icon {
  __iconData: { node: [string, Record<string, string>][] };
}

const svg = (content: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48" viewBox="0 0 24 24" fill="none" stroke="black" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${content}</svg>`,
  );
const pixels = (content: string) =>
  sharp(svg(content)).flatten({ background: 'white' }).greyscale().raw().toBuffer();

it('draws what the library draws', async () => {
  // Each of the named ones has another kind of shape, or a path with another beginning.
  const sample = names.filter((_, index) => index % 40 === 0);
  for (const name of [...sample, 'cpu', 'panel-left-close', 'circle-pause', 'arrow-down-0-1', 'share-2']) {
    const { __iconData } = (await import(join(folder, `${name}.mjs`))) as Icon;
    const shapes = __iconData.node.map(([element, { key: _key, ...attributes }]) => {
      const given = Object.entries(attributes).map(([attribute, value]) => `${attribute}="${value}"`);
      return `<${element} ${given.join(' ')}/>`;
    });
    const [before, after] = await Promise.all([
      pixels(shapes.join('')),
      pixels(`<path d="${pathOfIcon(moduleOf(name))}"/>`),
    ]);
    const different = before.filter((value, at) => Math.abs(value - (after[at] ?? 0)) > 100).length;
    expect([name, different]).toEqual([name, 0]);
  }
});

it('changes most icons, and leaves alone what is not one and what fills a shape', () => {
  const { transform } = lightIcons();
  const id = join(folder, 'cpu.mjs');
  expect(transform(moduleOf('cpu'), id)?.code).toMatch(/node: \[\["path", \{ d: "[^"]+", key: "all" \}\]\]/);
  expect(transform(moduleOf('cpu'), '/src/cpu.tsx')).toBeNull();
  expect(transform(moduleOf('palette'), join(folder, 'palette.mjs'))).toBeNull();
  expect(names.length).toBeGreaterThan(1_500);
});
