import { Fragment, useState } from 'react';
import { offersCommand } from '../../kit/command-hint.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { rowKeysOfPage } from '../../kit/rows/use-row-keys.ts';
import { Switch } from '../../kit/switch.tsx';
import { hasShortcut } from '../../kit/use-shortcuts.ts';
import { useText } from '../../lib/i18n.ts';
import { shortcutChoice } from '../../lib/shortcut-choice.ts';
import { goKeys } from './go-keys.ts';
import { useVisiblePages } from './visible-pages.ts';

const groups = [
  {
    name: 'everywhere',
    keys: ['palette', 'search', 'help', 'rail', 'panel', 'command', 'messages', 'close'],
  },
  { name: 'lists', keys: ['next', 'previous', 'open', 'choose', 'rowCommand'] },
  { name: 'replay', keys: ['play'] },
  { name: 'picture', keys: ['recipe', 'again', 'whole', 'remove', 'views'] },
  {
    name: 'bench',
    keys: [
      'run',
      'newSeed',
      'nextResult',
      'previousResult',
      'newest',
      'keep',
      'throwAway',
      'compare',
      'full',
      'zoom',
      'scale',
      'pan',
    ],
  },
] as const;

type KeyName = (typeof groups)[number]['keys'][number];

const keysOf: Record<KeyName, string[]> = {
  palette: ['⌘K', 'Ctrl K'],
  search: ['/'],
  help: ['?'],
  rail: ['['],
  panel: [']'],
  command: ['.'],
  messages: ['F6'],
  close: ['Esc'],
  next: ['j'],
  previous: ['k'],
  open: ['Enter'],
  choose: ['x'],
  rowCommand: ['.'],
  play: ['Space'],
  recipe: ['i'],
  again: ['r'],
  whole: ['z'],
  remove: ['Del'],
  views: ['1', '2', '3'],
  run: ['r'],
  newSeed: ['R'],
  nextResult: ['→'],
  previousResult: ['←'],
  newest: ['n'],
  keep: ['s'],
  throwAway: ['d', 'Del'],
  compare: ['c'],
  full: ['f'],
  zoom: ['z'],
  scale: ['+', '-'],
  pan: ['⇧ ←↑→↓'],
};

/** Shows the effect of each key on this page, and the switch that turns single keys off. */
export function ShortcutSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const text = useText('app');
  const choice = shortcutChoice.use();
  return (
    <Dialog open={open} onClose={onClose} title={text('keys.title')}>
      <div className="flex flex-col gap-4">
        <Switch
          label={text('keys.enabled')}
          checked={choice === 'on'}
          onChange={(on) => shortcutChoice.set(on ? 'on' : 'off')}
        />
        <Groups />
      </div>
    </Dialog>
  );
}

function Groups() {
  const text = useText('app');
  const [idle] = useState(idleKeys);
  return groups.map(({ name, keys }) => {
    const useful = keys.filter((key) => !idle.has(key));
    if (useful.length === 0) return null;
    return (
      <section key={name}>
        <h3 className="pb-1 text-table font-semibold text-text-2">{text(`keys.groups.${name}`)}</h3>
        <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
          {useful.map((key) => (
            <Row key={key} label={text(`keys.${key}`)} keys={keysOf[key]} />
          ))}
          {name === 'everywhere' && <GoRows />}
        </dl>
      </section>
    );
  });
}

/** The keys that do nothing on the page as it stands. */
function idleKeys(): ReadonlySet<KeyName> {
  const rows = rowKeysOfPage();
  const isUseful: Partial<Record<KeyName, boolean>> = {
    panel: hasShortcut(']'),
    next: rows.move,
    previous: rows.move,
    open: rows.open,
    choose: rows.choose,
    rowCommand: rows.command,
    command: document.querySelector(`#page ${offersCommand}`) !== null,
    play: hasShortcut(' '),
  };
  const idle = (Object.keys(isUseful) as KeyName[]).filter((key) => !isUseful[key]);
  const hasBench = hasShortcut('R');
  return new Set([
    ...idle,
    ...(hasBench ? [] : groups.flatMap(({ name, keys }) => (name === 'bench' ? keys : []))),
  ]);
}

function GoRows() {
  const text = useText('app');
  const names = new Set(
    useVisiblePages()
      .flat()
      .map(({ name }) => name),
  );
  return Object.entries({ ...goKeys, g: 'gallery' })
    .filter(([, name]) => names.has(name))
    .map(([key, name]) => (
      <Row key={key} label={text('keys.go', { page: text(`pages.${name}`) })} keys={[`g ${key}`]} />
    ));
}

function Row({ label, keys }: { label: string; keys: readonly string[] }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="flex justify-end gap-1">
        {keys.map((key) => (
          <Fragment key={key}>
            <kbd className="rounded-control border border-border bg-sunken px-1.5 font-mono text-meta">
              {key}
            </kbd>
          </Fragment>
        ))}
      </dd>
    </>
  );
}
