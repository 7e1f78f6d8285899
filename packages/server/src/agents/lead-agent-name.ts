/** The agent that answers when the client names none of the user's own. */
export const leadAgentName = 'lead_agent';
