"""The views of the index: the questions that people ask first of a folder of runs, ready for Datasette."""

from __future__ import annotations

__all__ = ["VIEWS"]

VIEWS = {
    "last_attempts": """
        select * from calls as one
        where attempt = (
            select max(attempt) from calls
            where run_id = one.run_id and pack = one.pack and task = one.task and trial = one.trial
        )
    """,
    "tasks": """
        select
            run_id, pack, task,
            sum(verdict = 'passed') as passed,
            sum(verdict in ('passed', 'failed')) as decided,
            count(*) as trials,
            avg(tools) as tools, avg(handoffs) as handoffs, avg(database) as database
        from last_attempts
        group by run_id, pack, task
    """,
    "best_models": """
        select
            runs.model, runs.pipeline, runs.run_id,
            avg(passed * 1.0 / nullif(decided, 0)) as pass_at_1,
            count(*) as tasks,
            sum(decided) as calls,
            sum(trials) - sum(decided) as without_verdict,
            (
                select avg(usd) from last_attempts where run_id = runs.run_id and verdict in ('passed', 'failed')
            ) as usd_per_call
        from tasks join runs using (run_id)
        group by runs.run_id
        order by pass_at_1 desc
    """,
    "tasks_that_flip": """
        select runs.model, tasks.* from tasks join runs using (run_id)
        where passed > 0 and passed < decided
        order by abs(passed * 1.0 / decided - 0.5), pack, task
    """,
    "slowest_turns": """
        select ms as v2v_ms, run_id, pack, task, trial, attempt, number as turn, calls.dir
        from latencies join calls using (run_id, pack, task, trial, attempt)
        where kind = 'v2v' order by ms desc
    """,
    "slowest_requests": """
        select ms as ttft_ms, run_id, pack, task, trial, attempt, number as request, calls.dir
        from latencies join calls using (run_id, pack, task, trial, attempt)
        where kind = 'ttft' order by ms desc
    """,
}
"""Name to query; a view may use those before it. A rate is the mean over tasks of the mean over trials, of calls with a
verdict on the agent."""
