import type { Field } from '../../domain/structure/questionnaire.ts'

/** Returns the name of the file input with which respondents add files to an answer. */
export const fileInputName = ({ storedKey }: Pick<Field, 'storedKey'>): string => `${storedKey}\\file`
