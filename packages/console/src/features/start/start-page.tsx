import { useLocation } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { startChoiceOf } from '../../lib/start-choice.ts';
import { Connect } from './connect.tsx';
import { RunSample } from './run-sample.tsx';
import { TalkToAgent } from './talk-to-agent.tsx';

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
