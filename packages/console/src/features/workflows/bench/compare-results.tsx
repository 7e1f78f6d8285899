import { Dialog } from '../../../kit/dialog.tsx';
import { Compare } from '../../../kit/pictures/compare.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { BenchResult } from './results.ts';

/** Two to four results beside each other or in one place. Loaded when it is first opened. */
export function CompareResults({
  results,
  onClose,
}: {
  results: readonly BenchResult[];
  onClose: () => void;
}) {
  const text = useText('workflows');
  const pictures = results.flatMap(({ output }) =>
    output ? [{ ...output, width: null, height: null }] : [],
  );
  return (
    <Dialog open onClose={onClose} title={text('bench.compare')} wide>
      <div className="flex h-[70dvh]">
        <Compare pictures={pictures} />
      </div>
    </Dialog>
  );
}
