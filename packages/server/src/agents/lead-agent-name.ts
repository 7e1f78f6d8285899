/** The agent that answers when none of the user's own is asked. */
export const leadAgentName = 'lead_agent';
