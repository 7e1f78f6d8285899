import type { Skill, SkillList } from '@switchyard/contract/conversation/skill';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { InstallSkill } from './install-skill.tsx';
import { SkillPanel } from './skill-panel.tsx';
import { SkillRow } from './skill-row.tsx';
import { skillsQuery } from './skills-query.ts';

/** Ways of working that agents read when a task fits. */
export function SkillsPage() {
  const text = useText('skills');
  const { name } = useParams<{ name?: string }>();
  const { isAdmin } = useSession();
  const skills = useQuery(skillsQuery);
  return (
    <Page
      title={text('title')}
      lead={text(isAdmin ? 'lead' : 'leadUser')}
      actions={isAdmin && <InstallSkill />}
    >
      <QueryView
        query={skills}
        isEmpty={(list) => list.skills.length === 0 && list.broken.length === 0}
        first={<EmptyState title={text('first.title')}>{text('first.cause')}</EmptyState>}
      >
        {(list) => <Lists list={list} />}
      </QueryView>
      <SkillPanel skill={skills.data?.skills.find((skill) => skill.name === name)} />
    </Page>
  );
}

function Lists({ list: { skills, broken } }: { list: SkillList }) {
  const text = useText('skills');
  const { said } = useGatewayWords();
  const part = (category: Skill['category']) => skills.filter((skill) => skill.category === category);
  return (
    <div className="flex flex-col gap-6">
      {(['custom', 'public'] as const).map(
        (category) =>
          part(category).length > 0 && (
            <section key={category}>
              <h2 className="border-b border-border pb-1 text-lead font-semibold">
                {text(`category.${category}`)}
              </h2>
              <ul>
                {part(category).map((skill) => (
                  <SkillRow key={skill.name} skill={skill} />
                ))}
              </ul>
            </section>
          ),
      )}
      {broken.length > 0 && (
        <section>
          <h2 className="border-b border-border pb-1 text-lead font-semibold">{text('broken')}</h2>
          <ul>
            {broken.map(({ name, reason, sentences }) => (
              <li key={name} {...rowMarks(name)} className={`border-b border-border py-2 ${rowRing}`}>
                <p className="flex flex-wrap items-center gap-3">
                  <span className="font-medium">{name}</span>
                  <StatusWord kind="failed">{text('unusable')}</StatusWord>
                </p>
                <p className="text-table break-words text-text-2">{said({ message: reason, sentences })}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
