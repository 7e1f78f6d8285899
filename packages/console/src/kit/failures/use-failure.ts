import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { describeFailure, type Failure, type FailureError } from './failure.ts';

/** What somebody who looks at a failed task is told. */
export interface ToldFailure extends Omit<Failure, 'advice'> {
  /** What to try, in a sentence or two. */
  advice: string;
}

/** Returns a function that puts a failure into the language of the page. */
export function useFailure(): (error: FailureError) => ToldFailure {
  const text = useText('failures');
  const words = useGatewayWords();
  return (error) => {
    const { advice, ...told } = describeFailure(error, words.said(error));
    return { ...told, advice: text(advice) };
  };
}
