import { deleteCustomSkill } from '@switchyard/contract/conversation/skill';
import { useLocation } from 'wouter';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { skillsKey } from './skills-query.ts';

/** Deletes a custom skill with its files, after a question. */
export function DeleteSkill({ name }: { name: string }) {
  const text = useText('skills');
  const [, navigate] = useLocation();
  return (
    <ConfirmedButton
      variant="danger"
      question={{
        title: text('delete.title', { name }),
        effect: text('delete.effect'),
        confirm: text('delete.confirm'),
      }}
      work={() => gateway.call(deleteCustomSkill, { params: { skill_name: name } })}
      done={text('delete.done', { name })}
      refresh={skillsKey}
      onDone={() => navigate('/skills')}
    >
      {text('delete.open')}
    </ConfirmedButton>
  );
}
