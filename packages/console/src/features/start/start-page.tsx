import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button, LinkButton } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { Page } from '../../kit/page.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { startChoiceOf } from '../../lib/start-choice.ts';
import { RunSample } from './run-sample.tsx';
import { TalkToAgent } from './talk-to-agent.tsx';
import { Tile } from './tile.tsx';

/** Three things to try, each of which really happens. */
export function StartPage() {
  const text = useText('start');
  return (
    <Page title={text('title')} lead={text('lead')} actions={<Dismiss />}>
      <div className="grid items-stretch gap-4 lg:grid-cols-2">
        <RunSample />
        <TalkToAgent />
        <Connect />
      </div>
    </Page>
  );
}

function Dismiss() {
  const text = useText('start');
  const toast = useToast();
  const [, navigate] = useLocation();
  const choice = startChoiceOf(useSession().id);
  if (choice.use() === 'dismissed') return null;
  const dismiss = () => {
    choice.set('dismissed');
    navigate('/');
    toast({ text: text('dismissed'), undo: () => choice.set('shown') });
  };
  return <Button onClick={dismiss}>{text('dismiss')}</Button>;
}

const modelYaml = `models:
  fast:
    provider: openai
    model: gpt-4o-mini
    api_key: \${OPENAI_API_KEY}`;

/** The three ways from the demo to the user's own machines, models and programs. */
function Connect() {
  const text = useText('start');
  const { isAdmin } = useSession();
  const taskCommand = `curl -H "Authorization: Bearer $ACCESS_TOKEN" ${window.location.origin}/api/tasks`;
  return (
    <Tile number={3} title={text('connect.title')} lead={text('connect.lead')} wide>
      <div className="grid gap-x-6 gap-y-4 lg:auto-cols-fr lg:grid-flow-col">
        {isAdmin && (
          <>
            <Way title={text('connect.comfy.title')} cause={text('connect.comfy.cause')}>
              <CommandLine command="switchyard instances add 192.168.1.20:8188" />
              <LinkButton href="/instances" size="s" className="self-start">
                {text('connect.comfy.open')}
              </LinkButton>
            </Way>
            <Way title={text('connect.model.title')} cause={text('connect.model.cause')}>
              <CommandLine command={modelYaml} />
            </Way>
          </>
        )}
        <Way title={text('connect.api.title')} cause={text('connect.api.cause')}>
          <CommandLine command={taskCommand} />
          <div className="flex flex-wrap gap-2">
            <LinkButton href="/tokens" size="s">
              {text('connect.api.token')}
            </LinkButton>
            <LinkButton href="/docs" size="s" variant="plain" newTab>
              {text('connect.api.docs')}
            </LinkButton>
          </div>
        </Way>
      </div>
    </Tile>
  );
}

function Way({ title, cause, children }: { title: string; cause: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 border-t border-border pt-3">
      <div>
        <h3 className="text-body font-medium">{title}</h3>
        <p className="text-table text-text-2">{cause}</p>
      </div>
      {children}
    </div>
  );
}
