import { addFact, changeFact, type MemoryFact } from '@switchyard/contract/conversation/memory';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { agentOf, memoryKey } from './memory-query.ts';

const maxLength = 2_000;
const usualConfidence = 0.9;

export function FactForm({
  agent,
  fact,
  onClose,
}: {
  agent: string | null;
  /** The fact to change; without it a new one is remembered. */
  fact?: MemoryFact;
  onClose: () => void;
}) {
  const text = useText('memory');
  const queries = useQueryClient();
  const [content, setContent] = useState(fact?.content ?? '');
  const [category, setCategory] = useState(fact?.category ?? 'context');
  const save = async () => {
    const query = agentOf(agent);
    const body = { content: content.trim(), category: category.trim() };
    if (fact) await gateway.call(changeFact, { params: { fact_id: fact.id }, query, body });
    else await gateway.call(addFact, { query, body: { ...body, confidence: usualConfidence } });
    await queries.invalidateQueries({ queryKey: memoryKey });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text(fact ? 'fact.change' : 'fact.add')}
      submit={text(fact ? 'fact.save' : 'fact.remember')}
      onSubmit={save}
      disabled={content.trim() === '' || category.trim() === ''}
    >
      <Field label={text('fact.content')} hint={text('fact.contentHint')}>
        <TextArea
          required
          maxLength={maxLength}
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
      </Field>
      <Field label={text('fact.category')}>
        <TextInput
          required
          maxLength={64}
          value={category}
          onChange={(event) => setCategory(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
