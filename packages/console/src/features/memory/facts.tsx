import { addFact, deleteFact, type MemoryFact } from '@switchyard/contract/conversation/memory';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { opensRow, rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { FactForm } from './fact-form.tsx';
import { agentOf, memoryKey } from './memory-query.ts';

/** Single facts, each of which can be changed or forgotten. */
export function Facts({ agent, facts }: { agent: string | null; facts: readonly MemoryFact[] }) {
  const text = useText('memory');
  return (
    <section>
      <h2 className="border-b border-border pb-1 text-lead font-semibold">
        {text('facts', { count: facts.length })}
      </h2>
      <ul>
        {facts.map((fact) => (
          <Fact key={fact.id} agent={agent} fact={fact} />
        ))}
      </ul>
    </section>
  );
}

function Fact({ agent, fact }: { agent: string | null; fact: MemoryFact }) {
  const text = useText('memory');
  const { act } = useAct();
  const [isEditing, setEditing] = useState(false);
  const { id, content, category, confidence } = fact;
  const query = agentOf(agent);
  const forget = () =>
    act(() => gateway.call(deleteFact, { params: { fact_id: id }, query }), {
      done: text('fact.forgotten'),
      undo: () => gateway.call(addFact, { query, body: { content, category, confidence } }),
      refresh: [memoryKey],
    });
  return (
    <li
      {...rowMarks(id)}
      className={`flex items-start justify-between gap-4 border-b border-border py-2 ${rowRing}`}
    >
      <div className="min-w-0">
        <p className="text-body break-words">{content}</p>
        <p className="text-table text-text-2">
          {category} · <Confidence value={confidence} /> · <Source source={fact.source} />
        </p>
      </div>
      <div className="flex shrink-0 gap-1">
        <Button {...opensRow} size="s" variant="plain" onClick={() => setEditing(true)}>
          {text('fact.edit')}
        </Button>
        <Button size="s" variant="plain" onClick={() => void forget()}>
          {text('fact.forget')}
        </Button>
      </div>
      {isEditing && <FactForm agent={agent} fact={fact} onClose={() => setEditing(false)} />}
    </li>
  );
}

function Confidence({ value }: { value: number }) {
  const text = useText('memory');
  const format = useFormat();
  return text('fact.sure', { percent: format.percent(value * 100) });
}

/** The thread in which the fact was learned, if it was not written by hand. */
function Source({ source }: { source: string }) {
  const text = useText('memory');
  if (source === 'manual' || source === '') return text('fact.manual');
  return (
    <Link href={`/chat/${encodeURIComponent(source)}`} className="text-accent underline">
      {text('fact.learned')}
    </Link>
  );
}
