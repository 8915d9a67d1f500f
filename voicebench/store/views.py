"""The views of the index: the questions that people ask first of a folder of runs, ready for Datasette."""

from __future__ import annotations

from voicebench.config.profiles import BASELINES, QUALIFYING_TTFT_MS, REFERENCE

__all__ = ["VIEWS"]

VIEWS = {
    "last_attempts": """
        select
            one.*,
            case
                when trials.hung_up then 'failed'
                when verdict in ('passed', 'failed') then verdict
                when trials.voids = trials.attempts then 'void'
                else 'error'
            end as outcome
        from calls as one join (
            select
                run_id, pack, task, trial, max(attempt) as attempt, count(*) as attempts,
                sum(verdict = 'void') as voids, max(hung_up) as hung_up
            from calls
            group by run_id, pack, task, trial
        ) as trials using (run_id, pack, task, trial, attempt)
    """,
    "tasks": """
        select
            run_id, pack, task, min(scoring_version) as scoring_version, max(scoring_version) as newest_version,
            sum(outcome = 'passed') as passed,
            sum(outcome in ('passed', 'failed')) as decided,
            sum(outcome <> 'void') as counted,
            count(*) as trials,
            avg(tools) as tools, avg(handoffs) as handoffs, avg(database) as database
        from last_attempts
        group by run_id, pack, task
    """,
    "medians": """
        select run_id, kind, n, avg(ms) as p50_ms
        from (
            select
                latencies.run_id, kind, ms,
                row_number() over (partition by latencies.run_id, kind order by ms) as place,
                count(*) over (partition by latencies.run_id, kind) as n
            from latencies join last_attempts using (run_id, pack, task, trial, attempt)
            where verdict in ('passed', 'failed')
        )
        where place in ((n + 1) / 2, (n + 2) / 2)
        group by run_id, kind
    """,
    "best_models": """
        select
            runs.model, runs.pipeline, runs.run_id,
            avg(passed * 1.0 / nullif(counted, 0)) as pass_at_1,
            medians.p50_ms as ttft_p50_ms,
            case when medians.p50_ms <= $limit_ms then 'yes' else 'no' end as qualified,
            count(*) as tasks,
            sum(decided) as calls,
            sum(trials) - sum(decided) as without_verdict,
            min(scoring_version) as scoring_version,
            (
                select avg(usd) from last_attempts where run_id = runs.run_id and verdict in ('passed', 'failed')
            ) as usd_per_call,
            case
                when runs.model = '$reference' then 'line reference'
                when runs.model in ($baselines) then 'baseline'
                when min(scoring_version) < max(newest_version) then 'scored by several versions'
                else runs.unranked
            end as unranked_because
        from tasks join runs using (run_id) left join medians on medians.run_id = runs.run_id and medians.kind = 'ttft'
        group by runs.run_id
        order by scoring_version desc, unranked_because is not null, qualified = 'no', pass_at_1 desc
    """.replace("$limit_ms", f"{QUALIFYING_TTFT_MS:g}")
    .replace("$reference", REFERENCE)
    .replace("$baselines", ", ".join(f"'{name}'" for name in BASELINES)),
    "turn_taking": """
        select
            runs.model, runs.pipeline, one.run_id, count(*) as calls,
            sum(missed_turns) as missed_turns,
            sum(turns_heard) as turns_heard, sum(turns_not_understood) as turns_not_understood,
            sum(talk_over_s) as talk_over_s,
            (select p50_ms from medians where run_id = one.run_id and kind = 'v2v') as v2v_p50_ms,
            (select p50_ms from medians where run_id = one.run_id and kind = 'yield') as yield_p50_ms
        from last_attempts as one join runs using (run_id)
        where verdict in ('passed', 'failed')
        group by one.run_id
    """,
    "tasks_that_flip": """
        select runs.model, tasks.* from tasks join runs using (run_id)
        where passed > 0 and passed < counted
        order by abs(passed * 1.0 / counted - 0.5), pack, task
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
    "causes": """
        select
            runs.model, runs.pipeline, one.run_id, one.cause, count(*) as calls,
            count(*) * 1.0 / (
                select count(*) from last_attempts where run_id = one.run_id and verdict <> 'passed'
            ) as share
        from last_attempts as one join runs using (run_id)
        where one.verdict <> 'passed'
        group by one.run_id, one.cause
        order by one.run_id, calls desc, one.cause
    """,
    "calls_that_did_not_pass": """
        select runs.model, run_id, pack, task, trial, attempt, verdict, cause, sentence, last_attempts.dir
        from last_attempts join runs using (run_id)
        where verdict <> 'passed'
        order by pack, task, run_id, trial
    """,
    "facts_misheard": """
        select
            said.fact, said.value, said.said, said.heard, said.understood, said.used, said.speaker,
            run_id, pack, task, trial, attempt, said.start_s, calls.verdict, calls.dir
        from fact_mentions as said join calls using (run_id, pack, task, trial, attempt)
        where said.right = 0
        order by pack, task, said.fact, run_id, trial, attempt, said.number
    """,
    "facts_heard": """
        select
            run_id, pack, task, fact, speaker, value,
            sum(right) as heard_right, count(right) as heard,
            sum(used is not null) as used,
            group_concat(distinct case when right = 0 then coalesce(understood, '(nothing)') end) as misheard_as
        from fact_mentions
        group by run_id, pack, task, fact, speaker
        order by sum(right) * 1.0 / nullif(count(right), 0), pack, task, fact
    """,
    "word_errors": """
        select
            runs.model, run_id, speaker,
            sum(substitutions + deletions + insertions) * 1.0 / nullif(sum(words), 0) as rate,
            sum(words) as words, sum(substitutions) as substitutions, sum(deletions) as deletions,
            sum(insertions) as insertions
        from utterances join runs using (run_id)
        where words is not null
        group by run_id, speaker
    """,
}
"""Name to query; a view may use those before it. A rate is the mean over tasks of the mean over trials, of calls with a
verdict on the agent."""
