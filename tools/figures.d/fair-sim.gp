# SPDX-License-Identifier: GPL-2.0
set terminal svg size 760,1000 font "sans-serif,13" background "#ffffff" name "fairsim"
name = "fair-sim"
load "fair.gp"
