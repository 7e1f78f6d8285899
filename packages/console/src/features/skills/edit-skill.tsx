import { updateCustomSkill } from '@switchyard/contract/conversation/skill';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { skillsKey, skillTextQuery } from './skills-query.ts';

interface EditSkillProps {
  name: string;
  /** The text as it was when editing began. */
  read: string;
  onClose: () => void;
}

/** Changes the text of a skill. A text that somebody else has changed meanwhile is not overwritten. */
export function EditSkill({ name, read, onClose }: EditSkillProps) {
  const text = useText('skills');
  const queries = useQueryClient();
  const [content, setContent] = useState(read);
  const save = async () => {
    const current = await queries.fetchQuery({ ...skillTextQuery(name), staleTime: 0 });
    if (current.content !== read) throw new Error(text('edit.changed'));
    await gateway.call(updateCustomSkill, { params: { skill_name: name }, body: { content } });
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
