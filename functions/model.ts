// The words of the project as types: what is read, what is declared, what is decided. Types only: no code, no defaults.
export type * from './model/expansion';
export type * from './model/item';
export type * from './model/options';
export type * from './model/probe-agent';
export type * from './model/probe-facts';
export type * from './model/probe-plan';
export type * from './model/probe-report';
export type * from './model/resolved-seat';
export type * from './model/seat';
export type * from './model/task-run';
export type * from './model/trust-tier';
