import type { Choice, Field } from './questionnaire.ts'

/** Returns the choice with an index; undefined for a removed choice and for any other number. */
export const choiceAt = ({ choices }: Pick<Field, 'choices'>, index: number): Choice | undefined =>
  choices[index - (choices[0]?.index ?? 0)]
