import type { HtmlTagDescriptor, Rolldown } from 'vite';

interface EarlyFiles {
  /** Modules that the first script imports later, as they end: the browser fetches their chunks at once. */
  modules: readonly string[];
  /** The font that the first picture is written in. */
  font: string;
}

/** Names in the page what the first picture needs, so that the browser fetches it before a script or a style asks for it. */
export function earlyFiles({ modules, font }: EarlyFiles) {
  return {
    name: 'early-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html: string, { bundle = {} }: { bundle?: Rolldown.OutputBundle }): HtmlTagDescriptor[] => {
        const files = Object.values(bundle);
        const chunks = files.filter((file) => file.type === 'chunk');
        const wanted = modules.map((module) =>
          found(
            chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module))),
            module,
          ),
        );
        const letters = found(
          files.find(({ fileName }) => fileName.includes(font) && fileName.endsWith('.woff2')),
          font,
        );
        return [
          {
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              crossorigin: true,
              href: `/${letters.fileName}`,
            },
          },
          ...closure(wanted, bundle).map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          })),
        ];
      },
    },
  } as const;
}

/** The files of the chunks and of all that they import, without those that the page names already. */
function closure(chunks: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): string[] {
  const named = reached(
    Object.values(bundle).filter((file) => file.type === 'chunk' && file.isEntry),
    bundle,
  );
  return [...reached(chunks, bundle)].filter((file) => !named.has(file));
}

function reached(chunks: readonly { fileName: string }[], bundle: Rolldown.OutputBundle): Set<string> {
  const files = new Set<string>();
  const waiting = chunks.map(({ fileName }) => fileName);
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const chunk = bundle[file];
    if (files.has(file) || chunk?.type !== 'chunk') continue;
    files.add(file);
    waiting.push(...chunk.imports);
  }
  return files;
}

function found<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`The console has no file of ${name}, which its page names.`);
  return value;
}
