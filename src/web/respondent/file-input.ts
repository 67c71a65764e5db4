import type { Field } from '../../domain/structure/questionnaire.ts'

/** Returns the name of the form field that receives new files for a response key. */
export const fileInputName = ({ storedKey }: Pick<Field, 'storedKey'>): string => `${storedKey}\\file`
