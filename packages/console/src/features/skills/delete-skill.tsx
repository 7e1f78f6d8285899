import { deleteCustomSkill } from '@switchyard/contract/conversation/skill';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { skillsKey } from './skills-query.ts';

/** Deletes a custom skill with its files, after a question. */
export function DeleteSkill({ name }: { name: string }) {
  const text = useText('skills');
  const act = useAct();
  const [, navigate] = useLocation();
  const [asks, setAsks] = useState(false);
  const remove = async () => {
    setAsks(false);
    const isDone = await act(() => gateway.call(deleteCustomSkill, { params: { skill_name: name } }), {
      done: text('delete.done', { name }),
      refresh: skillsKey,
    });
    if (isDone) navigate('/skills');
  };
  return (
    <>
      <Button size="s" variant="danger" onClick={() => setAsks(true)}>
        {text('delete.open')}
      </Button>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={text('delete.title', { name })}
        confirm={text('delete.confirm')}
        onConfirm={() => void remove()}
      >
        <p>{text('delete.effect')}</p>
      </ConfirmDialog>
    </>
  );
}
