import type { ListedSurvey, ListPlanner } from '../response/list/planner.ts'
import { planCount } from './count-planner.ts'
import { countFromRollup, pageFromRollup } from './list.ts'
import { SEGMENT_RESPONSES } from './state.ts'

/** Creates the planner that answers lists from rollups. */
export function createListPlanner(): ListPlanner {
  /** Surveys with less than a segment of responses: they have no rollup. */
  const small = new WeakSet<ListedSurvey>()
  return {
    async count(db, survey, filters) {
      const plan = small.has(survey) ? undefined : planCount(filters)
      return plan && countFromRollup(db, survey.id, filters, plan)
    },
    async page(db, survey, filters, slice) {
      const plan = small.has(survey) ? undefined : planCount(filters)
      return plan && pageFromRollup(db, survey.id, filters, plan, slice)
    },
    noteSize(survey, responses) {
      if (responses < SEGMENT_RESPONSES) small.add(survey)
      else small.delete(survey)
    },
  }
}
