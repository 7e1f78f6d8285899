/** Stands in `additional_kwargs` of an answer that a stop has cut off, and of the result of a tool call that it has ended. */
export const stoppedMark = { stopped: true } as const;
