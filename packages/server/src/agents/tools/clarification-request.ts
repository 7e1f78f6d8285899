export const clarificationTool = 'ask_clarification';

interface Clarification {
  question: string;
  clarification_type: string;
  context?: string | undefined;
  options?: readonly string[] | undefined;
}

/** The question of an agent, as pages draw it: with a button for each option, and a field for another answer. */
export interface ClarificationRequest {
  version: 1;
  kind: 'human_input_request';
  source: typeof clarificationTool;
  request_id: string;
  tool_call_id: string;
  clarification_type: string;
  question: string;
  context: string | null;
  input_mode: 'choice_with_other' | 'free_text';
  options?: { id: string; label: string; value: string }[];
}

/** A page draws no button when a choice is blank or is there twice, so such choices are left out. */
export function clarificationRequest(toolCallId: string, asked: Clarification): ClarificationRequest {
  const { question, clarification_type, context = null, options = [] } = asked;
  const choices = [...new Set(options.map((option) => option.trim()))].filter((option) => option !== '');
  return {
    version: 1,
    kind: 'human_input_request',
    source: clarificationTool,
    request_id: clarificationId(toolCallId),
    tool_call_id: toolCallId,
    clarification_type,
    question,
    context,
    input_mode: choices.length > 0 ? 'choice_with_other' : 'free_text',
    ...(choices.length > 0 && {
      options: choices.map((choice, index) => ({ id: `option-${index + 1}`, label: choice, value: choice })),
    }),
  };
}

/** The id of the message that asks; pages send it back with the answer. */
export function clarificationId(toolCallId: string): string {
  return `clarification:${toolCallId}`;
}
