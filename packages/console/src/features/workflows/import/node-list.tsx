import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { ApiGraph } from '../../../lib/workflow-file/graph-json.ts';

const firstShown = 12;
/** A graph of thousands of nodes is shown in steps of this size. */
const step = 500;

/** The nodes of a graph by title and class; a long list is cut, and the rest is one click away. */
export function NodeList({ graph }: { graph: ApiGraph }) {
  const text = useText('workflows');
  const [shown, setShown] = useState(firstShown);
  const nodes = Object.entries(graph);
  const more = Math.min(step, nodes.length - shown);
  return (
    <div className="flex flex-col items-start gap-2">
      <ul
        className="flex max-h-64 max-w-full flex-wrap gap-1 overflow-y-auto"
        aria-label={text('save.nodes')}
      >
        {nodes.slice(0, shown).map(([id, { class_type, _meta }]) => (
          <li key={id} className="max-w-full truncate rounded-control bg-sunken px-2 py-0.5 text-table">
            {_meta?.title ?? class_type}
            {_meta?.title && _meta.title !== class_type ? (
              <span className="text-text-2"> {class_type}</span>
            ) : null}
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <Button size="s" variant="plain" onClick={() => setShown(shown + more)}>
          {text('save.more', { count: more })}
        </Button>
      ) : null}
    </div>
  );
}
