'use client';
import { createElement, type ReactNode } from 'react';
import { ArrivedContext } from './server-data';

/**
 * What a person does not look at first, such as the list behind a drawer, or the options of filters. Each query of `children`
 * is `LATE`.
 */
export const Late = ({ children }: { readonly children: ReactNode }) =>
  createElement(ArrivedContext, { value: undefined }, children);
