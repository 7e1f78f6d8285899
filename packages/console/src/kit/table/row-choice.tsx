import { useText } from '../../lib/i18n.ts';
import { focusRing } from '../parts/classes.ts';
import { choosesRow } from '../rows/row-marks.ts';

/** The checkbox of the browser: a list makes one for each row that scrolls by. */
export function RowChoice({
  rowKey,
  name,
  isChosen,
  onChoose,
}: {
  rowKey: string;
  name: string;
  isChosen: boolean;
  onChoose: (key: string, isChosen: boolean) => void;
}) {
  const text = useText('kit');
  return (
    <label className="inline-flex min-h-6 min-w-6 cursor-pointer items-center justify-center pointer-coarse:min-h-11 pointer-coarse:min-w-11">
      <input
        type="checkbox"
        {...choosesRow}
        aria-label={text('table.choose', { name })}
        checked={isChosen}
        onChange={(event) => onChoose(rowKey, event.target.checked)}
        className={`${focusRing} size-4 cursor-pointer accent-accent-solid`}
      />
    </label>
  );
}
