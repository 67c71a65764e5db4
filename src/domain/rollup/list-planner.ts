import type { ListedSurvey, ListPlanner } from '../response/list/planner.ts'
import { planCount } from './count-planner.ts'
import { countFromRollup, pageFromRollup } from './list.ts'
import { SEGMENT_RESPONSES } from './state.ts'

/** Creates a planner that counts and lists responses with rollups. */
export function createListPlanner(): ListPlanner {
  /** Surveys with fewer responses than a segment has. They have no rollup. */
  const smallSurveys = new WeakSet<ListedSurvey>()
  return {
    async count(db, survey, filters) {
      const plan = smallSurveys.has(survey) ? undefined : planCount(filters)
      return plan && countFromRollup(db, survey.id, filters, plan)
    },
    async page(db, survey, filters, slice) {
      const plan = smallSurveys.has(survey) ? undefined : planCount(filters)
      return plan && pageFromRollup(db, survey.id, filters, plan, slice)
    },
    noteSize(survey, responses) {
      if (responses < SEGMENT_RESPONSES) smallSurveys.add(survey)
      else smallSurveys.delete(survey)
    },
  }
}
