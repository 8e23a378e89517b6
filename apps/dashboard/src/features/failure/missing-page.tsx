'use client';
import { MissingCode } from '../../ui/missing-code';

/** What is shown instead of a page whose code could not be loaded. */
export const MissingPage = () => (
  <div role="alert" className="mx-auto max-w-lg py-16">
    <h1 className="pb-3 font-semibold text-xl">This page could not be loaded.</h1>
    <MissingCode className="rounded-card border" />
  </div>
);
