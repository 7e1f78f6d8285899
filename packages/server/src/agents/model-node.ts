/** The node in which the model answers, in the lead agent and in every agent that LangChain's `createAgent` makes. */
export const modelNode = 'model_request';
