import { deleteCustomSkill, type Skill } from '@switchyard/contract/conversation/skill';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { blank } from '../../lib/format/format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { EditSkill } from './edit-skill.tsx';
import { SkillHistory } from './skill-history.tsx';
import { skillsKey, skillTextQuery } from './skills-query.ts';

/** One skill: what it says to agents. */
export function SkillPanel({ skill }: { skill: Skill | undefined }) {
  const [, navigate] = useLocation();
  return (
    <SidePanel open={skill !== undefined} onClose={() => navigate('/skills')} title={skill?.name ?? ''}>
      {skill && <Details skill={skill} />}
    </SidePanel>
  );
}

function Details({ skill }: { skill: Skill }) {
  const text = useText('skills');
  const rows = [
    [text('column.license'), skill.license ?? blank],
    [text('column.tools'), skill.allowed_tools?.join(', ') ?? text('allTools')],
  ];
  return (
    <div className="flex flex-col gap-3 text-body">
      <p className="break-words">{skill.description}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-table">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-text-2">{label}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {skill.category === 'custom' ? (
        <CustomText skill={skill} />
      ) : (
        <p className="text-table text-text-2">{text('shipped')}</p>
      )}
    </div>
  );
}

function CustomText({ skill }: { skill: Skill }) {
  const text = useText('skills');
  const { isAdmin } = useSession();
  const [isEditing, setEditing] = useState(false);
  const content = useQuery(skillTextQuery(skill.name));
  return (
    <QueryView query={content}>
      {(loaded) => (
        <div className="flex flex-col gap-3">
          {isAdmin && skill.editable && (
            <div className="flex gap-2">
              <Button size="s" onClick={() => setEditing(true)}>
                {text('edit.open')}
              </Button>
              <DeleteSkill name={skill.name} />
            </div>
          )}
          <pre className="overflow-x-auto rounded-control border border-border bg-sunken p-3 font-mono text-table break-words whitespace-pre-wrap">
            {loaded.content}
          </pre>
          {isAdmin ? <SkillHistory name={skill.name} /> : null}
          {isEditing && <EditSkill name={skill.name} read={loaded} onClose={() => setEditing(false)} />}
        </div>
      )}
    </QueryView>
  );
}

/** Deletes a custom skill with its files, after a question. */
function DeleteSkill({ name }: { name: string }) {
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
