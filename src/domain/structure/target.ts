import type { Field, Question, Questionnaire } from './questionnaire.ts'

/**
 * The target of a submitted key: a response key, one choice of a response key, or a question whose id or identifier is
 * not a response key, such as a grid.
 */
export interface Target {
  field?: Field
  /** Index of the choice selected by `<id>\<n>`. */
  choice?: number
  question?: Question
}

const targetCache = new WeakMap<Questionnaire, ReadonlyMap<string, Target>>()

/** Returns the target of a submitted key; undefined for an unknown key. */
export function targetOf(q: Questionnaire, key: string): Target | undefined {
  let targets = targetCache.get(q)
  if (!targets) {
    targets = targetsOf(q)
    targetCache.set(q, targets)
  }
  return targets.get(key)
}

/** Returns all targets by key. Ids take precedence over identifiers, and response keys over the columns of choices. */
function targetsOf(q: Questionnaire): ReadonlyMap<string, Target> {
  const targets = new Map<string, Target>()
  const add = (key: string, target: Target) => targets.has(key) || targets.set(key, target)
  for (const field of q.fields) add(field.key, { field })
  for (const question of q.questions) addNames(question.id, question)
  for (const question of q.questions) if (question.identifier) addNames(question.identifier, question)
  return targets

  function addNames(name: string, question: Question) {
    for (const field of question.fields) {
      const key = name + field.key.slice(question.id.length)
      add(key, { field })
      if (field.type !== 'multi') continue
      for (const { index } of field.choices) add(`${key}\\${index}`, { field, choice: index })
    }
    add(name, { question })
  }
}
