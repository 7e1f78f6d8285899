import { useFormat } from '../../lib/format/use-format.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import type { SignInFault } from './sign-in-fault.ts';

/** Why the gateway has refused, and when to try again. */
export function FaultText({ fault, secondsLeft }: { fault: SignInFault | null; secondsLeft: number }) {
  const text = useText('sign-in');
  const format = useFormat();
  const words = useGatewayWords();
  if (fault === null) return null;
  const wait = format.duration(secondsLeft * 1_000);
  const isOver = fault.waitSeconds !== null && secondsLeft === 0;
  return (
    <p role="alert" className={`text-body ${isOver ? 'text-text-2' : 'text-failed'}`}>
      {isOver ? text('fault.over') : text(`fault.${fault.key}`, { wait, message: words.error(fault.error) })}
    </p>
  );
}
