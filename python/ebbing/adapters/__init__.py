"""Memory behind the interfaces of agent frameworks, each in a module that needs that framework.

adk           Google ADK: a memory service
openai_agents OpenAI Agents SDK: a session
mem0          the class of mem0, without mem0
said          what all of them log
"""
