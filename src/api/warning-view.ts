import type { StructureWarning } from '../domain/structure/warnings.ts'

/** Returns a probable mistake in a structure as a reply contains it. */
export const warningView = ({ pointer, code, message }: StructureWarning) => ({ pointer, code, message })
