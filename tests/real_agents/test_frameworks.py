"""The adapters with the frameworks themselves, and models that say what a test wrote."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from ebbing import Memory


@pytest.fixture(scope="session")
def hashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store whose model costs nothing."""
    folder = tmp_path_factory.mktemp("hashed") / "store"
    Memory.create(folder, model="hashing:64")
    return folder


@pytest.fixture
def folder(hashed: Path, tmp_path: Path) -> Path:
    shutil.copytree(hashed, tmp_path / "store")
    return tmp_path / "store"


@pytest.mark.filterwarnings("default")
def test_adk_runs_an_agent_that_loads_what_an_earlier_session_said(folder: Path) -> None:
    pytest.importorskip("google.adk")
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmRequest, LlmResponse
    from google.adk.runners import Runner
    from google.adk.sessions import InMemorySessionService
    from google.adk.tools import preload_memory
    from google.genai.types import Content, Part

    from ebbing.adapters.adk import EbbingMemoryService

    asked: list[str] = []

    class Scripted(BaseLlm):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            asked.append(str(llm_request.config.system_instruction) + str(llm_request.contents))
            yield LlmResponse(content=Content(role="model", parts=[Part(text="Noted.")]))

    async def run() -> None:
        sessions, memory = InMemorySessionService(), EbbingMemoryService(folder)
        agent = LlmAgent(name="helper", model=Scripted(model="none"), tools=[preload_memory])
        runner = Runner(
            app_name="app", agent=agent, session_service=sessions, memory_service=memory
        )
        for said in ("My cat is called Miso", "What is my cat called?"):
            session = await sessions.create_session(app_name="app", user_id="ada")
            content = Content(role="user", parts=[Part(text=said)])
            async for _ in runner.run_async(
                user_id="ada", session_id=session.id, new_message=content
            ):
                pass
            kept = await sessions.get_session(app_name="app", user_id="ada", session_id=session.id)
            assert kept is not None
            if said.startswith("My"):
                # Twice: a session is added again whenever it has grown.
                await memory.add_session_to_memory(kept)
                await memory.add_session_to_memory(kept)
        found = await memory.search_memory(app_name="app", user_id="ada", query="cat called")
        best = found.memories[0].content.parts
        assert best is not None
        assert best[0].text == "My cat is called Miso"
        others = await memory.search_memory(app_name="app", user_id="bob", query="cat called")
        assert others.memories == []
        await memory.delete_memory(app_name="app", user_id="ada", memory_id=found.memories[0].id)
        gone = await memory.search_memory(app_name="app", user_id="ada", query="cat called")
        assert found.memories[0].id not in {entry.id for entry in gone.memories}

    asyncio.run(run())
    assert "Miso" in asked[1]
    with Memory(folder).store.read() as connection:
        counted = connection.execute(
            "select count(*) from journal.messages where content = 'My cat is called Miso'"
        ).fetchall()
    assert counted == [(1,)]


@pytest.mark.filterwarnings("default")
def test_openai_agents_session_remembers_and_is_recalled_to(folder: Path) -> None:
    pytest.importorskip("agents")
    from agents import Agent, ModelResponse, RunConfig, Runner, Usage
    from agents.memory import Session
    from agents.models.interface import Model
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    from ebbing.adapters.openai_agents import EbbingSession

    asked: list[Any] = []

    class Scripted(Model):
        async def get_response(self, *arguments: Any, **named: Any) -> Any:
            asked.append(named["input"])
            text = ResponseOutputText(text="Noted.", type="output_text", annotations=[])
            said = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *arguments: Any, **more: Any) -> Any:
            raise NotImplementedError

    async def run() -> None:
        agent = Agent(name="helper", model=Scripted())
        memory = Memory(folder, namespace="ada")
        for number, said in enumerate(("My cat is called Miso", "What is my cat called?")):
            session = EbbingSession(f"session-{number}", memory)
            assert isinstance(session, Session)
            config = RunConfig(session_input_callback=session.recalled, tracing_disabled=True)
            await Runner.run(agent, said, session=session, run_config=config)
            kept: list[Any] = list(await session.get_items())
            assert kept[-1].get("role") == "assistant"
        # In the same session it isn't given twice.
        await Runner.run(agent, "My cat is called what?", session=session, run_config=config)
        assert str(asked[-1]).count("<ebbing-memories>") == 1
        last: Any = await session.pop_item()
        assert last.get("role") == "assistant"
        await session.clear_session()
        assert await session.get_items() == []
        memory.flush()

    asyncio.run(run())
    assert "<ebbing-memories>" not in str(asked[0])
    assert "Miso" in str(asked[1])
    with Memory(folder).store.read() as connection:
        said = connection.execute(
            "select role, content from journal.messages where session_id = 'session-0'"
            " order by event_sequence"
        ).fetchall()
    assert said == [("user", "My cat is called Miso"), ("assistant", "Noted.")]


def test_a_program_of_mem0_moves_by_its_import(folder: Path) -> None:
    from ebbing.adapters.mem0 import Memory as Mem0
    from ebbing.errors import InputError

    memory = Mem0(folder)
    messages = [
        {"role": "user", "content": "My cat is called Miso"},
        {"role": "assistant", "content": "What a name!"},
    ]
    (added,) = memory.add(messages, user_id="ada")["results"]
    assert added["memory"] == "My cat is called Miso"
    found = memory.search("cat called", filters={"user_id": "ada"})["results"]
    assert found[0]["id"] == added["id"]
    assert memory.search("cat called", user_id="bob")["results"] == []
    (stored,) = memory.add("Tea, not coffee", user_id="ada", infer=False)["results"]
    everything = memory.get_all(user_id="ada")["results"]
    assert "Tea, not coffee" in {one["memory"] for one in everything}
    one = memory.get(stored["id"])
    assert one is not None
    assert one["memory"] == "Tea, not coffee"
    changed = memory.update(stored["id"], data="Coffee, not tea")
    assert memory.get(stored["id"]) is None
    memory.delete(changed["id"])
    assert memory.get(changed["id"]) is None
    assert isinstance(memory.history(added["id"]), list)
    with pytest.raises(InputError, match="user_id"):
        memory.search("cat called")
