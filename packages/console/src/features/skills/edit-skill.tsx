import { ApiError } from '@switchyard/client/errors';
import { updateCustomSkill } from '@switchyard/contract/conversation/skill';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { type ReadSkill, skillsKey } from './skills-query.ts';

/** How the gateway says that the text is no longer the one that was read. */
const changedMeanwhile = 412;

/** Changes the text of a skill. A text that somebody else has changed meanwhile is not overwritten. */
export function EditSkill({ name, read, onClose }: { name: string; read: ReadSkill; onClose: () => void }) {
  const text = useText('skills');
  const queries = useQueryClient();
  // The page may read the text again; what is saved answers the text that editing began with.
  const [{ etag }] = useState(read);
  const [content, setContent] = useState(read.content);
  const save = async () => {
    const headers = etag === null ? {} : { 'if-match': etag };
    await gateway
      .call(updateCustomSkill, { params: { skill_name: name }, headers, body: { content } })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === changedMeanwhile)
          throw new Error(text('edit.changed'));
        throw error;
      });
    await queries.invalidateQueries({ queryKey: skillsKey });
  };
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={text('edit.title', { name })}
      submit={text('edit.submit')}
      onSubmit={save}
      disabled={content.trim() === ''}
    >
      <Field label="SKILL.md" hint={text('edit.hint')}>
        <TextArea
          rows={18}
          spellCheck={false}
          className="font-mono"
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
