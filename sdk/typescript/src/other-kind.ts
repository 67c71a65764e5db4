declare enum Other {
  kind = 'other',
}

/** A question type that this version of the package does not know. Create it with {@link otherKind}. */
export type OtherKind = Other

/** Marks a string as a question type that this version of the package does not know. */
export const otherKind = (idname: string): OtherKind => idname as OtherKind
