/**
 * Returns the id by which a question is answered, `interrupt_id` in LangGraph 0.3; undefined when the value is not a question.
 * LangGraph 0.2 takes the id of the task, which is the last one in the question's namespace.
 */
export function interruptId(question: object): string | undefined {
  if ('id' in question) return typeof question.id === 'string' ? question.id : undefined;
  if (!('resumable' in question && 'ns' in question)) return undefined;
  if ('interrupt_id' in question && typeof question.interrupt_id === 'string') return question.interrupt_id;
  const task: unknown = Array.isArray(question.ns) ? question.ns.at(-1) : undefined;
  return typeof task === 'string' ? task.slice(task.lastIndexOf(':') + 1) : undefined;
}

/** Adds the id to a question that has it under another name; returns any other record unchanged. */
export function withInterruptId(record: object): object {
  if (!('resumable' in record)) return record;
  const id = interruptId(record);
  return id === undefined || 'id' in record ? record : { id, ...record };
}
