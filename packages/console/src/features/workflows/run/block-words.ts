import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunBlock } from './run-block.ts';

const maxNamed = 3;

/** Returns a function that says why nothing can run a workflow, in a sentence or two. */
export function useBlockWords(): (block: RunBlock) => string[] {
  const text = useText('workflows');
  const format = useFormat();
  return (block) => {
    switch (block.kind) {
      case 'model': {
        const { model, instead } = block;
        const words = text('block.model', { model });
        if (instead === null) return [words];
        const { instances, models } = instead;
        const named = format.list(instances.slice(0, maxNamed));
        return [
          words,
          text('block.instead', {
            count: instances.length,
            instances: named,
            models: format.list(models),
          }),
        ];
      }
      case 'full':
        return [text(`block.full.${block.of}`)];
      case 'paused': {
        const { scope = 'all', target, reason } = block.pause ?? {};
        return [text('block.paused', { scope, target: target ?? '', reason: reason ?? 'none' })];
      }
      case 'lacks': {
        const { instance } = block;
        const missing = format.list(block.missing.map((name) => text('block.quoted', { name })));
        return [
          instance === null
            ? text('block.lacks', { missing, count: block.missing.length })
            : text('block.nearest', { missing, instance }),
        ];
      }
      case 'unreachable': {
        const named = block.instances.slice(0, maxNamed);
        const more = block.instances.length > maxNamed ? ['…'] : [];
        return [text('block.unreachable', { instances: [...named, ...more].join(', ') })];
      }
      default:
        return [text(`block.${block.kind}`)];
    }
  };
}
