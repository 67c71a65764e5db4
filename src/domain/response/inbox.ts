export interface Inbox { close(): Promise<void> }
